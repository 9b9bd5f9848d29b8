/**
 * The effects of a parameter that the group of its method does not say:
 *
 * - `chat`: the call acts in the chat that it names, or takes messages from there.
 * - `elsewhere`: it makes the platform look for the message in another place than the chat that is named.
 * - `reply`: its `chat_id` may name another chat.
 * - `spending`: Stars of the bot are paid: 0.1 for a message above the free limits, or the price of a suggested post.
 * - `content`: it has files, which a server in local mode also reads from its own disk (`file:`), or inline results, of
 *   which one may be an invoice.
 * - `plain`: none of these. It concerns the chat, the message or the person that the call acts on, or belongs to a method
 *   that must be allowed by name.
 */
export type ParameterEffect = 'chat' | 'elsewhere' | 'reply' | 'spending' | 'content' | 'plain';

const PARAMETERS: Record<ParameterEffect, string> = {
  chat: 'chat_id from_chat_id',
  elsewhere: 'business_connection_id inline_message_id',
  reply: 'reply_parameters',
  spending: 'allow_paid_broadcast suggested_post_parameters',
  content: `
    animation audio certificate content cover document explanation_media extended_media html live_photo media options
    paid_media photo png_sticker result results rich_message sticker stickers tgs_sticker thumb thumbnail video
    video_note voice webm_sticker`,
  plain: `
    allow_queries callback_query_mode can_communicate_with_bots can_connect_to_business can_join_groups can_manage_bots
    can_read_all_group_messages chat_data data has_topic_sidebar has_topics_enabled allows_users_to_create_topics
    inline_feedback_share_denominator inline_query_placeholder is_shared needs_inline_query_location public_data
    supports_guest_queries supports_inline_queries supports_join_request_queries widget_id widget_query_id
    accepted_gift_types action active_period actor_chat_id added_user_ids address allow_adding_options allow_bot_chats
    allow_channel_chats allow_group_chats allow_sending_without_reply allow_user_chats allowed_updates
    allows_multiple_answers allows_revoting areas bio button cache_time callback_query_id can_add_web_page_previews
    can_change_info can_delete_messages can_delete_stories can_edit_messages can_edit_stories can_invite_users
    can_manage_chat can_manage_direct_messages can_manage_tags can_manage_topics can_manage_video_chats can_pin_messages
    can_post_messages can_post_stories can_promote_members can_restrict_members can_send_media_messages
    can_send_messages can_send_other_messages can_send_welcome_messages can_stop caption caption_entities
    chat_join_request_query_id checklist close_date commands comment contains_masks correct_option_id
    correct_option_ids country_codes creates_join_request currency custom_description custom_emoji_id
    custom_emoji_ids custom_title description description_entities description_parse_mode direct_messages_topic_id
    disable_content_type_detection disable_edit_message disable_notification disable_web_page_preview draft_id
    drop_pending_updates duration edit_message emoji emoji_list emoji_status_custom_emoji_id
    emoji_status_expiration_date emojis entities ephemeral_message_id ephemeral_message_parameters error_message errors
    exclude_from_blockchain exclude_limited exclude_limited_non_upgradable exclude_limited_upgradable exclude_saved
    exclude_unique exclude_unlimited exclude_unsaved expire_date explanation explanation_entities
    explanation_parse_mode file_id first_name for_channels force format foursquare_id foursquare_type from_story_id
    game_short_name gift_id google_place_id google_place_type guest_query_id has_spoiler heading height
    hide_results_until_closes horizontal_accuracy icon_color icon_custom_emoji_id inline_query_id invite_link
    ip_address is_access_restricted is_anonymous is_big is_canceled is_closed is_flexible is_personal is_public
    keep_on_stop keep_original_details keywords language_code last_name latitude length limit link_preview_options
    live_period longitude mask_position max_connections max_tip_amount member_limit members_only menu_button
    message_effect_id message_id message_ids message_thread_id method month_count name need_email need_name
    need_phone_number need_shipping_address needs_repainting new_owner_chat_id next_offset offset ok old_sticker
    only_if_banned open_period owned_gift_id parse_mode pay_for_upgrade payload performer permissions phone_number
    photo_height photo_size photo_url photo_width position post_to_chat_page pre_checkout_query_id prices
    protect_content provider_data provider_token proximity_alert_radius question question_entities
    question_parse_mode reaction receiver_user_id remove_caption reply_markup reply_to_message_id return_bots
    revoke_messages rights scope score secret_token send_date send_email_to_provider send_phone_number_to_provider
    sender_chat_id shipping_options shipping_query_id short_description show_alert show_caption_above_media
    show_gift_button shuffle_options sort_by_price star_count start_parameter start_timestamp sticker_format
    sticker_set_name sticker_type story_id subscription_period subscription_price suggested_tip_amounts
    supports_streaming tag telegram_payment_charge_id text text_entities text_parse_mode timeout title type until_date
    url use_independent_chat_permissions user_id username vcard video_start_timestamp web_app_query_id web_app_url
    width`,
};

/** A send with these may leave out its chat: then it is that of the press which it answers. */
export const EPHEMERAL = 'ephemeral_message_parameters';

/** The fields of reply_parameters. One that we do not know might name another chat. */
export const REPLY_FIELDS: ReadonlySet<string> = new Set(
  namesIn(`
    message_id chat_id ephemeral_message_id allow_sending_without_reply quote quote_parse_mode quote_entities
    quote_position checklist_task_id poll_option_id`),
);

const EFFECTS: ReadonlyMap<string, ParameterEffect> = new Map(
  Object.entries(PARAMETERS).flatMap(([effect, names]) =>
    namesIn(names).map((name) => [name, effect as ParameterEffect] as const),
  ),
);

/** The effect of a parameter; undefined for one that we do not know. The platform compares the case of these names. */
export function effectOf(parameter: string): ParameterEffect | undefined {
  return EFFECTS.get(parameter);
}

/** The names of the parameters with this effect. */
export function parametersWith(effect: ParameterEffect): string[] {
  return namesIn(PARAMETERS[effect]);
}

function namesIn(list: string): string[] {
  return list.trim().split(/\s+/);
}
